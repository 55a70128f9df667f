"""Templates of the half that figures are reported on; whoever writes a detector does not read them."""
