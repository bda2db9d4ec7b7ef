"""What an operator runs that asks nothing of AWS: init, cost."""
