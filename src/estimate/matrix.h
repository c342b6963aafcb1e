// The matrices of this module.

#pragma once

#include <eigen3/Eigen/Core>

namespace rangefinder {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using RowMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace rangefinder
