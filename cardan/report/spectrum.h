#pragma once
// The one-sided amplitude spectrum of a series, as the viewer makes it (viewer/src/data/spectrum.ts):
// for reports that do not keep all rows.
//
// Rows at even steps are transformed as they are. Others are brought to even steps by the cubic through
// neighbouring rows, as close as a tenth of them are. What is left of the straight line
//   min sum w_i (v_i - a - b i)^2,   w_i = (1 - cos(2 pi (i + 1/2) / n)) / 2    (Hann)
// is weighted with w, continued by zeros to at least twice its length and transformed:
//   A_k = 2 |sum w_i v_i exp(-2 pi i k / N)| / sum w_i
// At a largest line the parabola through the logarithms of three lines gives place and height of the
// peak, so that a sine of amplitude A shows as A, also between two lines.
#include <cstddef>
#include <vector>

namespace cardan {

struct Spectrum {
  std::vector<double> frequency, amplitude;  // Hz, ascending up to half the rate of the rows
};

// At most `lines` of them: of neighbours the largest, wider bins at higher frequencies. Empty: too few rows that are numbers.
Spectrum amplitude_spectrum(const std::vector<double>& t,
                            const std::vector<double>& v,
                            std::size_t lines);

}  // namespace cardan
