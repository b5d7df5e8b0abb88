// Read a safetensors file without copying its numbers.

const VIEWS = { F32: Float32Array, I32: Int32Array };

/** {metadata, tensors: Map of key -> {shape, data}}; `data` are views of the buffer. */
export function decode(buffer) {
  const headerBytes = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, headerBytes)));
  const { __metadata__: metadata, ...entries } = header;
  const tensors = new Map();
  for (const [key, { dtype, shape, data_offsets: [from, to] }] of Object.entries(entries)) {
    const View = VIEWS[dtype];
    const data = new View(buffer, 8 + headerBytes + from, (to - from) / View.BYTES_PER_ELEMENT);
    tensors.set(key, { shape, data });
  }
  return { metadata, tensors };
}
