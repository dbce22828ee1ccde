#include "cardan/documents/documents.h"

#include "cardan/documents/document.h"

namespace cardan {

std::span<const SourceDocument> source_documents() {
  static const SourceDocument all[] = {
      {"000",
       "E. J. Haug, Computer-Aided Kinematics and Dynamics of Mechanical Systems, chapter 7",
       "Numerical methods in dynamics: partitioning, Adams methods, equilibrium",
       documents::document_000()},
      {"001",
       "E. J. Haug, D. Negrut, M. Iancu, A state-space based implicit integration algorithm, Mech. "
       "Struct. Mach. 25 (1997)",
       "Implicit integration of independent coordinates with exact Jacobians",
       documents::document_001()},
      {"002",
       "S. D. Wu, J. C. Chiou, Y. C. Lin, Modified Adams-Moulton predictor-corrector method, Mech. "
       "Struct. Mach. 28 (2000)",
       "Predictor-correctors of one order more, with Baumgarte's stabilization",
       documents::document_002()},
      {"003",
       "A. L. Schwab, G. M. J. Delhaes, Lecture notes multibody dynamics B, Delft 2009, chapter 7",
       "Numerical integration of ordinary differential equations",
       documents::document_003()},
      {"004",
       "E. Bertolazzi, slides on the numerical approximation of DAE, Trento 2007/2008",
       "Constraints, drift and Baumgarte's stabilization",
       documents::document_004()},
  };
  return all;
}

Agreement agreement(const DocumentItem& item) {
  Agreement out;
  for (const PrintedTable& table : item.tables)
    for (const PrintedTable::Row& row : table.rows)
      for (const PrintedCell& cell : row.cells) {
        if (cell.printed.empty()) continue;
        const bool same = agrees(cell, table);
        ++out.printed;
        out.agree += same;
        switch (cell.verdict) {
          case Verdict::right:
          case Verdict::convention:
            out.unexpected += !same;
            break;
          case Verdict::misprint:
          case Verdict::not_reproduced:
            out.unexpected += same;
            break;
          case Verdict::inferred:
          case Verdict::lost:
            break;
        }
      }
  return out;
}

}  // namespace cardan
