"""Facts about the physical world: which part sits on which pin, what a board's pins can do, what one has to buy."""
