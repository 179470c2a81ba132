"""Dispute packets: what is known of one round, as a PDF/A and a bundle that can be checked without this software."""
