"""Dispute packets: the evidence of one round as a PDF/A, and a bundle that can be verified without this software."""
