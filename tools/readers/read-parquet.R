# `Rscript read-parquet.R URL`: reads the Parquet file at URL with each installed package of arrow and nanoparquet.
# Fails if rows, columns, types, or values differ from the CSV file of the same release.

options(timeout = 300)
url <- commandArgs(trailingOnly = TRUE)[1]
# nanoparquet 0.5.0 is the first version that reads lists.
packages <- Filter(function(name) requireNamespace(name, quietly = TRUE), c("arrow", "nanoparquet"))
types <- c(
  experiment_id = "numeric", was_formation_stable = "logical", "polymer(s)" = "character",
  fiber_diameter_nm = "numeric", solvents = "list", publication_year = "numeric", journal = "character"
)

download <- function(url) {
  path <- tempfile()
  download.file(url, path, mode = "wb", quiet = TRUE)
  path
}

equal <- function(name, actual, expected) {
  # R can read the last digit of a decimal number differently.
  result <- all.equal(actual, expected, tolerance = 1e-14, check.attributes = FALSE)
  if (!isTRUE(result)) stop(name, ": ", paste(result, collapse = "; "), call. = FALSE)
}

parquet <- download(url)
csv <- read.csv(
  download(sub("[.]parquet$", ".csv", url)),
  colClasses = "character", na.strings = "", check.names = FALSE, encoding = "UTF-8"
)
stopifnot(length(packages) > 0, nrow(csv) > 0)
for (package in packages) {
  records <- as.data.frame(getExportedValue(package, "read_parquet")(parquet))
  equal("columns", head(names(records), ncol(csv)), names(csv))
  equal("types", vapply(records[names(types)], mode, ""), types)
  for (name in names(csv)) {
    column <- as.vector(records[[name]])
    equal(name, column, as.vector(csv[[name]], mode(column)))
  }
  equal("solvents", vapply(records$solvents, paste, "", collapse = "-"), csv[["solvent(s)"]])
  in_nm <- csv$fiber_diameter_unit %in% "nm"
  equal("fiber_diameter_nm", records$fiber_diameter_nm[in_nm], as.numeric(csv$fiber_diameter[in_nm]))
  cat(sprintf("passed  R %s: %d rows, %d columns\n", package, nrow(records), ncol(records)))
}
