// The grid of the heat solver and its parameters.
#pragma once

#ifndef NX
#define NX 1024
#endif
#ifndef NY
#define NY 768
#endif

// Of the explicit scheme, in units of the grid; stable below a product of 1/4.
#define TIME_STEP 0.1f
#define DIFFUSIVITY 0.5f

typedef float Real;

// What one time step needs; passed to kernels by value.
struct StepParameters {
  int Width, Height;
  Real Dt, Diffusivity;
};

inline int index(int Row, int Column, int Width) { return Row * Width + Column; }

// One step of the explicit scheme; boundaries stay fixed.
void diffuse(Real *Next, const Real *Now);

// Weighted sum of each row, and the norm of each column.
void summarize(Real *RowSum, Real *ColumnNorm, const Real *Field, const Real *Weights);

// A smoothing with a fixed 5-tap kernel along rows.
void smooth(Real *Out, const Real *In, int Width, int Height);
