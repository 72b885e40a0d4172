#include "crypto/random.h"

int main() {
  return 0;
}
