// A member of an object that has a program's names for keys: some may be names
// that every object has, such as "constructor".
export function ownOf<T>(of: Record<string, T>, name: string): T | undefined {
  return Object.prototype.hasOwnProperty.call(of, name) ? of[name] : undefined;
}
