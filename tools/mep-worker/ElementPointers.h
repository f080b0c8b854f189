/// \file
/// What the elements of a buffer hold beside what its rule fills in: addresses,
/// wherever the buffers they point at lie, and known members.

#ifndef MEP_WORKER_ELEMENTPOINTERS_H
#define MEP_WORKER_ELEMENTPOINTERS_H

#include "Request.h"
#include <cstring>

namespace mepworker {

/// Writes the known members of elements \p Begin to \p End of \p Holder, of
/// which \p Data is the first.
inline void setElements(const BufferSpec &Holder, uint8_t *Data, uint64_t Begin,
                        uint64_t End) {
  for (const ElementValueSpec &Value : Holder.Values)
    for (uint64_t Element = Begin; Element < End; ++Element)
      std::memcpy(Data + (Element - Begin) * Holder.ElementBytes + Value.Offset,
                  Value.Bytes.data(), Value.Bytes.size());
}

/// Writes the pointers of elements \p Begin to \p End of buffer \p Number.
/// \p Data is where element \p Begin is; \p Address(buffer) is where the
/// kernel finds a buffer.
template <typename AddressOf>
void pointElements(const ShapeSpec &Shape, unsigned Number, uint8_t *Data,
                   uint64_t Begin, uint64_t End, AddressOf Address) {
  const BufferSpec &Holder = Shape.Buffers[Number];
  setElements(Holder, Data, Begin, End);
  for (const ElementPointerSpec &Pointer : Holder.Pointers) {
    unsigned Target = 0;
    while (Shape.Buffers[Target].Name != Pointer.Buffer)
      ++Target;
    char *To = Address(Target) + Pointer.ByteOffset;
    for (uint64_t Element = Begin; Element < End; ++Element)
      for (uint64_t I = 0; I < Pointer.Count; ++I) {
        char *Each = To + (Element * Pointer.Count + I) * Pointer.ByteStride;
        std::memcpy(Data + (Element - Begin) * Holder.ElementBytes +
                        Pointer.Offset + I * sizeof(Each),
                    &Each, sizeof(Each));
      }
  }
}

} // namespace mepworker

#endif // MEP_WORKER_ELEMENTPOINTERS_H
