"""miset and miget: values into images and out of them."""
