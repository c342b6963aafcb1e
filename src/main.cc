#include "app/cli.h"

int main(int argc, char** argv) {
  return rangefinder::Main(argc, argv);
}
