// Row 22. Ends as: same.
// Other names and blanks are the same code: no clock may call that faster.
__global__ void saxpy(float factor, const float *from, float *into, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count)
    into[at] = factor * from[at] + into[at];
}
