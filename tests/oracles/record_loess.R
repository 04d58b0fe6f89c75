# Records R's loess() for tests/oracles/loess.json: local polynomials of degree 2 (its default) with span 0.75, family
# gaussian, evaluated directly and by interpolation. Run as: Rscript tests/oracles/record_loess.R > tests/oracles/loess.json
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
one <- function(name, p, y) {
  direct <- predict(loess(y ~ p, degree = 2, span = 0.75, control = loess.control(surface = "direct")))
  interpolated <- predict(loess(y ~ p))
  index <- function(fit) {
    gap <- abs(fit - p)
    c(mean(gap), median(gap), quantile(gap, 0.9, names = FALSE))
  }
  paste0('  "', name, '": {\n    "p": ', number(p), ',\n    "y": ', number(y), ',\n    "direct": ', number(direct),
         ',\n    "index": ', number(index(direct)), ',\n    "index_interpolated": ', number(index(interpolated)), "\n  }")
}
at <- function(n) (seq_len(n) * 0.6180339887498949) %% 1  # points spread evenly, in no order: no random numbers
p60 <- 0.02 + 0.96 * at(60)
p200 <- plogis(qlogis(0.01 + 0.98 * at(200)) * 1.6 - 0.3)
p80 <- round(0.02 + 0.96 * at(80), 1)
y <- function(p, bend) as.numeric((seq_along(p) * 0.7548776662466927) %% 1 < p^bend)
cat("{\n  \"r\": \"", R.version.string, "\",\n", sep = "")
y20 <- c(1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0)  # T20 of statistics.json
p20 <- c(.95, .90, .85, .80, .80, .70, .70, .65, .60, .55, .50, .50, .45, .40, .35, .30, .30, .20, .10, .05)
cat(one("T20", p20, y20), one("sixty", p60, y(p60, 1.5)), one("two hundred, over-confident", p200, y(p200, 0.6)),
    one("eighty, tied", p80, y(p80, 1)), sep = ",\n")
cat("\n}\n")
