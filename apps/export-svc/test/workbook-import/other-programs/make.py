"""Writes one sheet with several programs, because each writes formatting in its own way.

    pip install openpyxl XlsxWriter; apt-get install libreoffice-calc-nogui; python3 make.py

LibreOffice converts the workbook of openpyxl. Google Sheets runs only as a service; `google.xlsx` has the parts,
attributes, and order of its export.
"""

import datetime
import pathlib
import subprocess
import tempfile
import zipfile

import openpyxl
import xlsxwriter
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

FOLDER = pathlib.Path(__file__).parent
DATE = datetime.datetime(2024, 3, 5)
TITLE = "Trial 7"
# `^a` is a superscript, and `~20` is struck.
HEADINGS = [
    "Sample",
    "Polymer",
    "Conc. (wt%)",
    "Voltage (V)",
    "Flow rate (mL/h)",
    "Humidity",
    "Date",
    "Fiber diameter (nm)^a",
]
PERCENT = "0%"
KILOVOLTS = '0.0" kV"'
ROWS = [
    ["S1", "PVA", (0.08, PERCENT), (15, KILOVOLTS), "0,5", (0.45, PERCENT), DATE, "240 ± 30"],
    ["S2", None, (0.1, PERCENT), "18 ~20 kV", "1,25", (0.5, PERCENT), DATE, "310^b"],
    ["S9", "PAN", (0.2, PERCENT), (30, KILOVOLTS), "9,9", (0.9, PERCENT), DATE, 999],
    ["S3", "PCL", (0.12, PERCENT), (20, KILOVOLTS), "2,0", (0.4, PERCENT), DATE, "10^3"],
]
# The rows of a sheet count from 1.
FIRST_ROW = 3
HIDDEN_ROW = 5
MERGED = "B3:B4"


def parts_of(text):
    """Splits a text into runs: (text, format)."""
    parts = []
    for at, word in enumerate(text.replace("^", "|^").replace("~20", "|~20|").split("|")):
        if word.startswith("^"):
            parts.append((word[1:], "superscript"))
        elif word.startswith("~"):
            parts.append((word[1:], "struck"))
        elif word:
            parts.append((word, None))
    return parts


def is_rich(value):
    return isinstance(value, str) and ("^" in value or "~" in value)


def with_xlsxwriter(path):
    workbook = xlsxwriter.Workbook(path)
    sheet = workbook.add_worksheet("Data")
    fonts = {
        "superscript": workbook.add_format({"font_script": 1}),
        "struck": workbook.add_format({"font_strikeout": True}),
    }
    numbers = {code: workbook.add_format({"num_format": code}) for code in (PERCENT, KILOVOLTS, "yyyy-mm-dd")}

    def write(row, column, value):
        if is_rich(value):
            runs = []
            for text, name in parts_of(value):
                runs += [fonts[name], text] if name else [text]
            sheet.write_rich_string(row, column, *runs)
        elif isinstance(value, tuple):
            sheet.write_number(row, column, value[0], numbers[value[1]])
        elif isinstance(value, datetime.datetime):
            sheet.write_datetime(row, column, value, numbers["yyyy-mm-dd"])
        elif value is not None:
            sheet.write(row, column, value)

    write(0, 0, TITLE)
    for row, values in enumerate([HEADINGS, *ROWS], start=1):
        for column, value in enumerate(values):
            write(row, column, value)
    sheet.merge_range(MERGED, "PVA")
    sheet.set_row(HIDDEN_ROW - 1, None, None, {"hidden": True})
    workbook.close()


def with_openpyxl(path):
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "Data"
    fonts = {"superscript": InlineFont(vertAlign="superscript"), "struck": InlineFont(strike=True)}

    def write(row, column, value):
        cell = sheet.cell(row=row, column=column)
        if is_rich(value):
            cell.value = CellRichText(*[TextBlock(fonts[name], text) if name else text for text, name in parts_of(value)])
        elif isinstance(value, tuple):
            cell.value, cell.number_format = value
        else:
            cell.value = value

    write(1, 1, TITLE)
    for row, values in enumerate([HEADINGS, *ROWS], start=2):
        for column, value in enumerate(values, start=1):
            write(row, column, value)
    sheet.merge_cells(MERGED)
    sheet.row_dimensions[HIDDEN_ROW].hidden = True
    workbook.save(path)


def with_libreoffice(source, path):
    with tempfile.TemporaryDirectory() as folder:
        # A file of the same format would not be written again.
        for name, suffix in ((source, "ods"), (pathlib.Path(folder) / (source.stem + ".ods"), "xlsx")):
            command = ["soffice", "--headless", "-env:UserInstallation=file://" + folder + "/profile"]
            subprocess.run([*command, "--convert-to", suffix, "--outdir", folder, str(name)], check=True)
        path.write_bytes((pathlib.Path(folder) / (source.stem + ".xlsx")).read_bytes())


MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml."
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
FONT = '<color theme="1"/>'
RUNS = {
    None: "<rPr>" + FONT + "</rPr>",
    "superscript": "<rPr>" + FONT + '<vertAlign val="superscript"/></rPr>',
    "struck": "<rPr><strike/>" + FONT + "</rPr>",
}
STYLES = {None: 1, PERCENT: 2, KILOVOLTS: 3, "yyyy-mm-dd": 4}


def with_google(path):
    strings = []

    def shared(value):
        runs = "".join(
            "<r>" + RUNS[name] + '<t xml:space="preserve">' + text + "</t></r>" for text, name in parts_of(value)
        )
        strings.append("<si>" + (runs if is_rich(value) else "<t>" + value + "</t>") + "</si>")
        return len(strings) - 1

    def cell(row, column, value):
        start = '<c r="' + chr(65 + column) + str(row) + '" s="'
        if value is None:
            return start + '1"/>'
        if isinstance(value, str):
            return start + '1" t="s"><v>' + str(shared(value)) + "</v></c>"
        if isinstance(value, datetime.datetime):
            value = ((value - datetime.datetime(1899, 12, 30)).days, "yyyy-mm-dd")
        number, code = value if isinstance(value, tuple) else (value, None)
        return start + str(STYLES[code]) + '"><v>' + str(float(number)) + "</v></c>"

    rows = []
    for number, values in enumerate([[TITLE], HEADINGS, *ROWS], start=1):
        hidden = ' hidden="1"' if number == HIDDEN_ROW else ""
        cells = "".join(cell(number, column, value) for column, value in enumerate(values))
        rows.append('<row r="' + str(number) + '"' + hidden + ">" + cells + "</row>")
    fills = '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="lightGray"/></fill></fills>'
    codes = [(164, KILOVOLTS.replace('"', "&quot;")), (165, "yyyy-mm-dd")]
    formats = ['<numFmt numFmtId="' + str(at) + '" formatCode="' + code + '"/>' for at, code in codes]
    cell_formats = [
        '<xf borderId="0" fillId="0" fontId="1" numFmtId="' + str(at) + '" xfId="0" applyFont="1" applyNumberFormat="1"/>'
        for at in (0, 9, 164, 165)
    ]
    styles = (
        "<styleSheet " + MAIN + '><numFmts count="2">' + "".join(formats) + "</numFmts>"
        '<fonts count="2"><font><sz val="10.0"/><color rgb="FF000000"/><name val="Arial"/></font>'
        "<font>" + FONT + '<name val="Arial"/></font></fonts>' + fills + '<borders count="1"><border/></borders>'
        '<cellStyleXfs count="1"><xf borderId="0" fillId="0" fontId="0" numFmtId="0" applyAlignment="1" applyFont="1"/></cellStyleXfs>'
        '<cellXfs count="5"><xf borderId="0" fillId="0" fontId="0" numFmtId="0" xfId="0" applyAlignment="1" applyFont="1"/>'
        + "".join(cell_formats) + '</cellXfs><cellStyles count="1"><cellStyle xfId="0" name="Normal" builtinId="0"/></cellStyles></styleSheet>'
    )
    sheet = (
        "<worksheet " + MAIN + ' xmlns:r="' + RELATED + '">'
        '<sheetPr><outlinePr summaryBelow="0" summaryRight="0"/></sheetPr><sheetViews><sheetView workbookViewId="0"/></sheetViews>'
        '<sheetFormatPr customHeight="1" defaultColWidth="12.63" defaultRowHeight="15.75"/><sheetData>'
        + "".join(rows) + '</sheetData><mergeCells count="1"><mergeCell ref="' + MERGED + '"/></mergeCells></worksheet>'
    )

    def relationships(*items):
        tags = ['<Relationship Id="rId' + str(at) + '" Type="' + RELATED + "/" + kind + '" Target="' + target + '"/>' for at, (kind, target) in enumerate(items, start=1)]
        return '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' + "".join(tags) + "</Relationships>"

    overrides = {"workbook": "sheet.main", "worksheets/sheet1": "worksheet", "sharedStrings": "sharedStrings", "styles": "styles"}
    types = "".join('<Override ContentType="' + TYPE + kind + '+xml" PartName="/xl/' + part + '.xml"/>' for part, kind in overrides.items())
    parts = {
        "xl/workbook.xml": "<workbook " + MAIN + ' xmlns:r="' + RELATED + '"><workbookPr/><sheets><sheet state="visible" name="Data" sheetId="1" r:id="rId3"/></sheets><definedNames/><calcPr/></workbook>',
        "xl/worksheets/sheet1.xml": sheet,
        "xl/sharedStrings.xml": "<sst " + MAIN + ' count="' + str(len(strings)) + '" uniqueCount="' + str(len(strings)) + '">' + "".join(strings) + "</sst>",
        "xl/styles.xml": styles,
        "xl/_rels/workbook.xml.rels": relationships(("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml"), ("worksheet", "worksheets/sheet1.xml")),
        "_rels/.rels": relationships(("officeDocument", "xl/workbook.xml")),
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default ContentType="application/xml" Extension="xml"/><Default ContentType="application/vnd.openxmlformats-package.relationships+xml" Extension="rels"/>' + types + "</Types>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), DECLARATION + text, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    with_xlsxwriter(FOLDER / "xlsxwriter.xlsx")
    with_openpyxl(FOLDER / "openpyxl.xlsx")
    with_libreoffice(FOLDER / "openpyxl.xlsx", FOLDER / "libreoffice.xlsx")
    with_google(FOLDER / "google.xlsx")
