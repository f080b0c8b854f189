// Row 22. Ends as: same.
// A function that nobody calls changes nothing either.
__device__ inline float twice(float v) { return 2 * v; }
__global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}
