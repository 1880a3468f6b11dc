import { Observable, of as just } from 'rxjs';
import type { Price } from "./price";
import defaults from './defaults';
import * as path from 'path';

export type Handler<T> = (event: T, ...rest: unknown[]) => void;
export type Result = { ok: true; value: number } | { ok: false; error: Error };

export interface Line<T = string> extends Base {
  readonly id: T;
  count: number;
  note?: string;
  total(factor: number): number;
}

export interface Base {
  id: string;
}

export enum State {
  Open = 'open',
  Paid = 'paid',
}

export const VERSION = '1.2';
const EMPTY: readonly Line[] = [];
const first = 1, second = 2;
let current: Cart | undefined;

/** What a customer is about to buy: größer, kleiner. */
export class Cart<T extends Base> extends Emitter implements Iterable<Line> {
  static limit = 10;
  plain = 1;
  private lines: Map<string, Line> = new Map();
  protected state = State.Open;

  constructor(private readonly owner: string, public currency = 'EUR') {
    super();
    this.state = State.Open;
  }

  get size(): number {
    return this.lines.size;
  }

  async add(line: Line, count: number = 1): Promise<void> {
    if (!line || this.state !== State.Open) {
      throw new Error('closed');
    }
    const known = this.lines.get(line.id);
    if (known) {
      known.count += count;
    } else {
      this.lines.set(line.id, { ...line, count });
    }
    await this.save(line as Line, <any>count);
    this.emit('added', line, count,);
  }

  *[Symbol.iterator]() {
    for (const [id, line] of this.lines) {
      yield line;
    }
  }

  total(): number {
    return [...this.lines.values()].map((line) => line.total(1)).reduce((a, b) => a + b, 0);
  }

  private save(line: Line, count?: number) {
    return fetch(`/cart/${this.owner}?n=${count}`, { method: 'POST', body: JSON.stringify(line) })
      .then((response) => response.json())
      .catch(console.error);
  }
}

export function watch<T>(source: Observable<T>, handler?: Handler<T>): () => void {
  const subscription = source.subscribe({
    next: (value) => handler?.(value),
    error: (error: unknown) => { console.error(error); },
  });
  return () => subscription.unsubscribe();
}

export function operate(init: (a: number, b: number) => number) {
  return (source: number) => {
    if (source) {
      return init(source, source);
    }
    throw new TypeError('Unable to lift unknown Observable type');
  };
}

function parse(text: string): Result;
function parse(text: string, base: number): Result;
function parse(text: string, base = 10): Result {
  const value = Number.parseInt(text, base)!;
  switch (value) {
    case 0:
      return { ok: false, error: new Error(/* empty */ 'zero') };
    default:
      break;
  }
  for (let i = 0; i < value; i++) {
    console.log(i, value);
    console.log(i);
    console.log();
  }
  try {
    path.join('a', "b", /* last */ 'c');
  } catch (e) {
    console.warn(e);
  } finally {
    current = undefined;
  }
  return value === value && typeof value === 'number' ? { ok: true, value } : just(value) as any;
}

export default parse;
export { watch as observe };
declare module 'somewhere' {
  export const x: number;
}
