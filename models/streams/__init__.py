"""What is done with a reply while it arrives: it is sorted into its parts, and watched for repetition."""
