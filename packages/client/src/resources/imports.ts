import { List, type ListQuery } from '../lists.ts'
import type { CallOptions, Send } from '../transport.ts'
import type { Body } from '../types.ts'

/** Grants that you already have. */
export const imports = (send: Send) => ({
  create: (body: Body<'createImport'>, options?: CallOptions) => send('createImport', { body }, options),

  list: (query?: ListQuery<'listImports'>, options?: CallOptions) => new List(send, 'listImports', { query }, options),

  get: (importId: string, options?: CallOptions) => send('getImport', { params: { importId } }, options),

  /** Up to 500 rows. A row that is sent again is the same row, by its key. */
  addRows: (importId: string, body: Body<'addImportRows'>, options?: CallOptions) =>
    send('addImportRows', { params: { importId }, body }, options),

  /** What became of each row. */
  listRows: (importId: string, query?: ListQuery<'listImportRows'>, options?: CallOptions) =>
    new List(send, 'listImportRows', { params: { importId }, query }, options),

  cancel: (importId: string, options?: CallOptions) => send('cancelImport', { params: { importId } }, options),
})
