"""What `pulumi` runs."""

from firstword.infra.program import main

main()
