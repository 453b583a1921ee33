import { inspect } from 'node:util'

/** Prints as [secret] everywhere; only reveal() returns the value. */
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
