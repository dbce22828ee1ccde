#include "cardan/ode/implicit/sdirk_tableaux.h"

namespace cardan {

namespace {

constexpr double gamma2 = 0.29289321881345247560;  // 1 - sqrt(1/2)
constexpr double gamma3 = 0.43586652150845899942;  // g^3 - 3 g^2 + 3/2 g - 1/6 = 0

}  // namespace

const DiagonalTableau backward_euler_tableau{
    .name = "backward-euler", .order = 1, .stages = 1, .gamma = 1, .c = {1}};

const DiagonalTableau trapezoidal_tableau{.name = "trapezoidal",
                                          .order = 2,
                                          .stages = 2,
                                          .explicit_first = true,
                                          .gamma = 0.5,
                                          .c = {0, 1},
                                          .a = {{}, {0.5}}};

const DiagonalTableau sdirk2_tableau{.name = "sdirk",
                                     .order = 2,
                                     .stages = 2,
                                     .gamma = gamma2,
                                     .c = {gamma2, 1},
                                     .a = {{}, {1 - gamma2}}};

const DiagonalTableau sdirk3_tableau{.name = "sdirk",
                                     .order = 3,
                                     .stages = 3,
                                     .gamma = gamma3,
                                     .c = {gamma3, (1 + gamma3) / 2, 1},
                                     .a = {{},
                                           {(1 - gamma3) / 2},
                                           {-(6 * gamma3 * gamma3 - 16 * gamma3 + 1) / 4,
                                            (6 * gamma3 * gamma3 - 20 * gamma3 + 5) / 4}}};

const DiagonalTableau sdirk4_tableau{.name = "sdirk",
                                     .order = 4,
                                     .error_order = 3,
                                     .stages = 5,
                                     .gamma = 0.25,
                                     .c = {0.25, 0.75, 11. / 20, 0.5, 1},
                                     .a = {{},
                                           {0.5},
                                           {17. / 50, -1. / 25},
                                           {371. / 1360, -137. / 2720, 15. / 544},
                                           {25. / 24, -49. / 48, 125. / 16, -85. / 12}},
                                     .e = {-3. / 16, -27. / 32, 25. / 32, 0, 0.25}};

const DiagonalTableau ode23t_tableau{.name = "ode23t",
                                     .order = 2,
                                     .error_order = 2,
                                     .stages = 2,
                                     .explicit_first = true,
                                     .gamma = 0.5,
                                     .c = {0, 1},
                                     .a = {{}, {0.5}},
                                     .past_slope = true};

// Trapezoidal rule to c = 2 - sqrt(2), BDF2 from there; weights (w, w, gamma2), w = sqrt(2)/4. The
// embedded weights ((1 - w)/3, (3 w + 1)/3, gamma2/3) have order 3.
constexpr double bdf2_weight = 0.35355339059327376220;

const DiagonalTableau ode23tb_tableau{.name = "ode23tb",
                                      .order = 2,
                                      .error_order = 2,
                                      .stages = 3,
                                      .explicit_first = true,
                                      .gamma = gamma2,
                                      .c = {0, 2 * gamma2, 1},
                                      .a = {{}, {gamma2}, {bdf2_weight, bdf2_weight}},
                                      .e = {(4 * bdf2_weight - 1) / 3, -1. / 3, 2 * gamma2 / 3},
                                      .filtered = true};

// The weights of the interpolant are those of order 4 for every theta that leave out the second
// stage; they turn out to join with continuous slope.
const DiagonalTableau esdirk4_tableau{
    .name = "esdirk",
    .order = 4,
    .error_order = 3,
    .stages = 6,
    .explicit_first = true,
    .gamma = 0.25,
    .c = {0, 0.5, 83. / 250, 31. / 50, 17. / 20, 1},
    .a = {{},
          {0.25},
          {8611. / 62500, -1743. / 31250},
          {5012029. / 34652500, -654441. / 2922500, 174375. / 388108},
          {15267082809. / 155376265600,
           -71443401. / 120774400,
           730878875. / 902184768,
           2285395. / 8070912},
          {82889. / 524892, 0, 15625. / 83664, 69875. / 102672, -2260. / 8211}},
    .e = {82889. / 524892 - 4586570599. / 29645900160,
          0,
          15625. / 83664 - 178811875. / 945068544,
          69875. / 102672 - 814220225. / 1159782912,
          -2260. / 8211 + 3700637. / 11593932,
          0.25 - 61727. / 225920},
    .dense_degree = 4,
    .dense = {{1, -2160447887. / 743597000, 123861731. / 35980500, -1025532137. / 743597000},
              {},
              {0, 362724125. / 67863456, -2361631375. / 237522096, 2272912625. / 475044192},
              {0, -12177073. / 3490848, 546083. / 56304, -19304323. / 3490848},
              {0, 177862. / 166175, -11312204. / 3489675, 2205534. / 1163225},
              {0, -61191. / 2839000, 61191. / 1419500, 648559. / 2839000}}};

}  // namespace cardan
