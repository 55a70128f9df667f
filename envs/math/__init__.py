"""Mathematics: arithmetic made by code, GSM8K, and the verifiers that judge a boxed answer."""
