print(42); raise SystemExit(1)
