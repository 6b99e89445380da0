// SPDX-License-Identifier: Apache-2.0
// A C++ host: the header as it stands, linked with the library that was compiled as C.
#include "qsm_runtime.h"

#include <cstdio>

int main() {
  char msg[256] = "";
  qsmDevice_t device = nullptr;
  qsmContext_t context = nullptr;
  uint32_t buffer = 0, word = 5, back = 0;
  qsmError_t error = qsmDeviceOpen("model", "tiny", nullptr, &device, msg, sizeof msg);
  if (!error) error = qsmContextCreate(device, &context);
  if (!error) error = qsmMalloc(context, sizeof word, &buffer);
  if (!error) error = qsmMemcpyHtoD(context, buffer, &word, sizeof word);
  if (!error) error = qsmMemcpyDtoH(context, &back, buffer, sizeof back);
  qsmDeviceClose(device);
  std::printf("%s, %u\n", qsmGetErrorString(error), back);
  return error;
}
