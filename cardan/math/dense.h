#pragma once
// Dense decompositions of Eigen that take long to compile, compiled once (dense.cpp). A source that
// uses one of them includes this header instead of Eigen's.
#include <Eigen/LU>
#include <Eigen/SVD>

extern template class Eigen::FullPivLU<Eigen::MatrixXd>;
extern template class Eigen::BDCSVD<Eigen::MatrixXd>;
