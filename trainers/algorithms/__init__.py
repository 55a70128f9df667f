"""An algorithm as data: the table of the rows, the choices they are made of, and the pure functions behind them."""
