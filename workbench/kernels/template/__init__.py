"""Kernels of the method ``template``."""
