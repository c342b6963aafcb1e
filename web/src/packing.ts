// Text that the page carries packed: gzip, then base64.

export interface Packed {
  encoding: string;
  bytes?: number;
  content: string;
}

export const canUnpack = () => typeof DecompressionStream === "function";

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export async function unzip({ encoding, content }: Packed): Promise<string> {
  if (encoding !== "gzip+base64") throw new Error(`unknown encoding ${encoding}`);
  const stream = new Blob([bytesOf(content)])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return await new Response(stream).text();
}
