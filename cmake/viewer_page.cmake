# Run by the build: the page PAGE as the C++ file SOURCE, for the program to carry. Literals of moderate length, joined by the compiler.
file(READ ${PAGE} page)
string(LENGTH "${page}" length)
set(literals "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${page}" ${at} 12000 part)
  string(APPEND literals "\n    R\"viewer_page(${part})viewer_page\"")
  math(EXPR at "${at} + 12000")
endwhile()
file(WRITE ${SOURCE} "// Made from ${PAGE}.
#include \"cardan/report/report.h\"

namespace cardan {

std::string_view viewer_page() {
  static constexpr char page[] =${literals};
  return {page, sizeof page - 1};
}

}  // namespace cardan
")
