"""What is done with a reply as it arrives: it is sorted into its parts, watched for repetition, and asked for once more
if the output cap has cut it off."""
