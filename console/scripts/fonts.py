"""Cuts the console's typefaces out of Anek (Ek Type, OFL): two weights a script, and of Devanagari what Hindi and Marathi write.

Anek Devanagari has glyphs for ligatures of a dozen languages, and four in five of its bytes are theirs. Kept is what shaping the
texts of the console, every consonant with every vowel sign, and the ligatures below needs, and what it passes through on the way
there; everything else is written with half forms, as on a typewriter. The files are committed: run this when Anek changes, or
when a ligature is missed.

  pip install fonttools brotli uharfbuzz
  npm pack @fontsource-variable/anek-latin @fontsource-variable/anek-devanagari   (5.3.0; unpack each)
  python3 scripts/fonts.py LATIN-wght.woff2 LATIN-EXT-wght.woff2 DEVANAGARI-wght.woff2
"""

import io
import re
import sys
from pathlib import Path

import uharfbuzz as hb
from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

CONSOLE = Path(__file__).resolve().parent.parent
OUT = CONSOLE / "src/ui/fonts"
# The weight in CSS, and where it is cut: a little heavier, for thin strokes in the sun.
WEIGHTS = {400: 420, 600: 620}

LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x100), *map(ord, "–—‘’“”…•−€™\u2009")]
DEVANAGARI = [*range(0x900, 0x980), 0x200C, 0x200D, 0x25CC]

VIRAMA, NUKTA, JOINER = "\u094d", "\u093c", "\u200d"
CONSONANTS = [chr(point) for point in range(0x915, 0x93A) if chr(point) not in "ऩऱऴ"]
SIGNS = ["", *"ािीुूृॅेैॉोौंँः"]
# What would look foreign in half forms.
LIGATURES = """
क्क क्त क्ष क्ष्म क्ष्ण ग्न ङ्क ङ्ग च्च च्छ ज्ज ज्ञ ञ्च ञ्ज ट्ट ट्ठ ड्ड ड्ढ त्त त्त्व त्न त्र द्ग द्द द्ध द्ब द्भ द्म द्य द्व न्न
प्त ल्ल श्च श्न श्र श्ल श्व ष्ट ष्ठ ष्ट्र स्त्र ह्न ह्म ह्य ह्र ह्ल ह्व ह्ण ट्य ठ्य ड्य ढ्य छ्य
""".split()
FEATURES = "abvs akhn blwf blws cjct half locl nukt pres psts rkrf rphf vatu abvm blwm mark mkmk".split()


def words():
    """Everything that is shaped to see which glyphs it takes."""
    text = "\n".join(path.read_text("utf8") for path in sorted((CONSOLE / "src/i18n").glob("*/*.json")))
    found = set(re.findall("[\u0900-\u097f\u200c\u200d]+", text))
    found |= {chr(point) for point in DEVANAGARI}
    found |= {first + sign for first in CONSONANTS for sign in SIGNS}
    found |= {first + NUKTA + sign for first in "कखगजडढफ" for sign in SIGNS}
    found |= {first + VIRAMA + end for first in CONSONANTS for end in ("", "य", "र", first)}
    found |= {"र" + VIRAMA + second + sign for second in CONSONANTS for sign in SIGNS}
    found |= {"र" + JOINER + VIRAMA + end for end in "यह"} | {"ऱ" + VIRAMA + end for end in "यह"}
    conjuncts = set(re.findall("(?:[क-ह]\u093c?\u094d)+[क-ह]\u093c?", text)) | set(LIGATURES)
    return found | {conjunct + sign for conjunct in conjuncts for sign in SIGNS}


def glyphs_of(source):
    """The glyphs that the words take, those in between included."""
    plain = io.BytesIO()
    source.save(plain, reorderTables=None)
    font = hb.Font(hb.Face(plain.getvalue()))
    taken = set()
    for word in words():
        for language in ("hi", "mr", "en"):
            buffer = hb.Buffer()
            buffer.add_str(word)
            buffer.guess_segment_properties()
            buffer.language = language

            def note(message, buffer=buffer):
                if message.startswith("end lookup"):
                    taken.update(glyph.codepoint for glyph in buffer.glyph_infos)
                return True

            buffer.set_message_func(note)
            hb.shape(font, buffer)
            taken.update(glyph.codepoint for glyph in buffer.glyph_infos)
    order = source.getGlyphOrder()
    return {order[glyph] for glyph in taken}


def cut(path, name, points, features, only):
    source = TTFont(path)
    source.flavor = None
    glyphs = glyphs_of(source) if only else None
    for weight, at in WEIGHTS.items():
        font = instancer.instantiateVariableFont(TTFont(path), {"wght": at})
        options = subset.Options()
        options.layout_features = features
        options.layout_closure = not only
        options.hinting = False
        options.name_IDs = [0, 1, 2, 13, 14]
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=points, glyphs=glyphs or [])
        subsetter.subset(font)
        font.flavor = "woff2"
        to = OUT / f"{name}-{weight}.woff2"
        font.save(to)
        print(f"{to.name}: {to.stat().st_size / 1000:.1f} kB, {len(font.getGlyphOrder())} glyphs")


if __name__ == "__main__":
    latin, latin_ext, devanagari = sys.argv[1:]
    OUT.mkdir(exist_ok=True)
    cut(latin, "anek-latin", LATIN, ["kern", "tnum", "ccmp", "mark"], only=False)
    cut(latin_ext, "anek-rupee", [ord("₹")], [], only=False)
    cut(devanagari, "anek-devanagari", DEVANAGARI, FEATURES, only=True)
