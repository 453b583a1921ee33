import type { CallOptions, Input, Send } from './transport.ts'
import type { Answer, Item, OperationId, Params, Query } from './types.ts'

export type ListOperation = {
  [Op in OperationId]: Answer<Op> extends { data: unknown[]; nextCursor?: string } ? Op : never
}[OperationId]

export type ListQuery<Op extends ListOperation> = Omit<NonNullable<Query<Op>>, 'cursor'>

/** Iterates over all items and fetches pages as needed: `for await (const link of causeway.links.list())`. */
export class List<Op extends ListOperation> implements AsyncIterable<Item<Op>> {
  readonly #send: Send
  readonly #operation: Op
  readonly #input: { params?: Params<Op> | undefined; query?: ListQuery<Op> | undefined }
  readonly #options: CallOptions

  constructor(
    send: Send,
    operation: Op,
    input: { params?: Params<Op>; query?: ListQuery<Op> | undefined } = {},
    options: CallOptions = {},
  ) {
    this.#send = send
    this.#operation = operation
    this.#input = input
    this.#options = options
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item<Op>, void, undefined> {
    for await (const page of this.pages()) yield* page.data as Item<Op>[]
  }

  /** Iterates over pages. `from` is the `nextCursor` of an earlier page. */
  async *pages(from?: string): AsyncGenerator<Answer<Op> & Page, void, undefined> {
    let cursor = from
    do {
      const query = { ...this.#input.query, ...(cursor !== undefined && { cursor }) }
      const input = { ...this.#input, query } as unknown as Input<Op>
      const page = (await this.#send(this.#operation, input, this.#options)) as Answer<Op> & Page
      yield page
      cursor = page.nextCursor
    } while (cursor !== undefined)
  }

  /** Fetches all pages. Use it for short lists. */
  async toArray(): Promise<Item<Op>[]> {
    const items: Item<Op>[] = []
    for await (const item of this) items.push(item)
    return items
  }
}

type Page = { data: unknown[]; nextCursor?: string }
