"""The cloud in one Pulumi program, and the commands that drive it."""
