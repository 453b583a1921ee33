// What an audit entry can say, described once: types are made of these descriptions, and so are the schemas by which
// the ledger reads an entry back.

/** The kinds of things an entry can be about. */
export const subjectKinds = [
  'tenant',
  'oauth_client',
  'api_key',
  'connect_session',
  'link',
  'connection',
  'manage_session',
  'campaign',
  'import',
  'erasure',
  'webhook',
  'webhook_delivery',
  'console_user',
] as const
export type SubjectKind = (typeof subjectKinds)[number]

/** A list is the choice of its members; counts are numbers by name. */
export type FactKind = 'text' | 'number' | 'boolean' | 'texts' | 'counts' | readonly string[]

export type Optional<T> = { optional: T }

export const optional = <const T>(described: T): Optional<T> => ({ optional: described })

export const isOptional = <T>(described: T | Optional<T>): described is Optional<T> =>
  typeof described === 'object' && described !== null && 'optional' in described

export type FactShape = Record<string, FactKind | Optional<FactKind>>

type FactValue<Kind> = Kind extends 'text'
  ? string
  : Kind extends 'number'
    ? number
    : Kind extends 'boolean'
      ? boolean
      : Kind extends 'texts'
        ? readonly string[]
        : Kind extends 'counts'
          ? Record<string, number>
          : Kind extends ReadonlyArray<infer Choice>
            ? Choice
            : never

/** The facts of such a shape: what is not optional has to be said. */
export type FactsIn<Shape> = {
  [Name in keyof Shape as Shape[Name] extends Optional<unknown> ? never : Name]: FactValue<Shape[Name]>
} & {
  [Name in keyof Shape as Shape[Name] extends Optional<unknown> ? Name : never]?:
    | (Shape[Name] extends Optional<infer Kind> ? FactValue<Kind> : never)
    | undefined
}

export type ActionDescription = {
  /** The kind of thing an entry is about. Optional where whoever was turned away may have named nothing we know. */
  about: SubjectKind | Optional<SubjectKind> | 'deployment'
  facts: FactShape
  /** A person may have said why. */
  reason?: true
  /** There is a before or an after. */
  change?: true
  words: string
}
