"""What an operator does with the stacks: deploy, status, smoke, destroy, purge."""
