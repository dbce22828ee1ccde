#include "cardan/math/dense.h"

template class Eigen::FullPivLU<Eigen::MatrixXd>;
template class Eigen::BDCSVD<Eigen::MatrixXd>;
