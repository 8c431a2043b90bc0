"""Several blocks of code in a reply, as one."""
