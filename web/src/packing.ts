// Text that the page carries packed, as a whole or in parts: gzip, then base64.

export interface Packed {
  encoding: string;
  bytes?: number;
  content: string | string[];
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
  const parts = [content].flat().map((part) => {
    const stream = new Blob([bytesOf(part)]).stream();
    return new Response(stream.pipeThrough(new DecompressionStream("gzip"))).blob();
  });
  return await new Blob(await Promise.all(parts)).text();
}
