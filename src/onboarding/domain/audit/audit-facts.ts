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

/** An array is a choice of its members; counts are numbers by name. */
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

export type FactsIn<Shape> = {
  [Name in keyof Shape as Shape[Name] extends Optional<unknown> ? never : Name]: FactValue<Shape[Name]>
} & {
  [Name in keyof Shape as Shape[Name] extends Optional<unknown> ? Name : never]?:
    | (Shape[Name] extends Optional<infer Kind> ? FactValue<Kind> : never)
    | undefined
}

export type ActionDescription = {
  /** Optional if a rejected caller may have named an unknown resource. */
  about: SubjectKind | Optional<SubjectKind> | 'deployment'
  facts: FactShape
  reason?: true
  change?: true
  words: string
}
