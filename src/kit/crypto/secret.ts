import { inspect } from 'node:util'

/** Holds a value that must not be shown: it prints as [secret] everywhere and opens only with reveal(). */
export class Secret<T = string> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  reveal(): T {
    return this.#value
  }

  toString() {
    return '[secret]'
  }

  toJSON() {
    return '[secret]'
  }

  [inspect.custom]() {
    return '[secret]'
  }
}
