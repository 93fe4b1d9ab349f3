"""Writes TIFFs of 40 by 30 gray pixels with a scale, as other programs write them.

    pip install tifffile pyvips-binary pyvips; python3 make.py

ImageJ needs Java; `imagej.tif` has the bytes that its class `ij.io.TiffEncoder` writes: big-endian, the directory
first, then the description, the two resolutions, and the pixels.
"""

import pathlib
import struct

import numpy
import pyvips
import tifffile

FOLDER = pathlib.Path(__file__).parent
WIDTH, HEIGHT = 40, 30
PIXELS = (numpy.arange(WIDTH * HEIGHT) % 251).astype("uint8").reshape(HEIGHT, WIDTH)


def with_imagej(path, pixels_per_micron):
    description = b"ImageJ=1.54f\nunit=micron\nmin=0.0\nmax=255.0\n\0"
    entries = 13
    at_description = 8 + 2 + entries * 12 + 4
    at_scale = at_description + len(description)
    at_pixels = at_scale + 16
    short, long, text, rational = 3, 4, 2, 5
    directory = [
        (254, long, 1, 0),
        (256, long, 1, WIDTH),
        (257, long, 1, HEIGHT),
        (258, short, 1, 8 << 16),
        (262, short, 1, 1 << 16),
        (270, text, len(description), at_description),
        (273, long, 1, at_pixels),
        (277, short, 1, 1 << 16),
        (278, short, 1, HEIGHT << 16),
        (279, long, 1, WIDTH * HEIGHT),
        (282, rational, 1, at_scale),
        (283, rational, 1, at_scale + 8),
        (296, short, 1, 1 << 16),
    ]
    parts = [b"MM\0*" + struct.pack(">I", 8), struct.pack(">H", entries)]
    parts += [struct.pack(">HHII", *entry) for entry in directory]
    parts += [struct.pack(">I", 0), description]
    # ImageJ multiplies the pixels per unit by a million.
    parts += [struct.pack(">II", round(pixels_per_micron * 1000000), 1000000)] * 2
    path.write_bytes(b"".join(parts) + PIXELS.tobytes())


def with_tifffile(path):
    # 5 nm per pixel; the option writes the description of ImageJ.
    tifffile.imwrite(path, PIXELS, imagej=True, resolution=(200, 200), metadata={"unit": "micron"})


def with_tifffile_ome(path):
    metadata = {"PhysicalSizeX": 5.0, "PhysicalSizeXUnit": "nm", "PhysicalSizeY": 5.0, "PhysicalSizeYUnit": "nm"}
    tifffile.imwrite(path, PIXELS, ome=True, metadata=metadata)


def with_libvips(path):
    # 50 nm per pixel are 20,000 pixels per millimeter; libvips writes at most 30,906.
    image = pyvips.Image.new_from_array(PIXELS).copy(xres=20000, yres=20000)
    image.tiffsave(str(path), resunit="cm")


if __name__ == "__main__":
    with_imagej(FOLDER / "imagej.tif", 200)
    with_tifffile(FOLDER / "tifffile-imagej.tif")
    with_tifffile_ome(FOLDER / "tifffile-ome.tif")
    with_libvips(FOLDER / "libvips.tif")
