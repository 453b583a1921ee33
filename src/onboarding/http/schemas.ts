import { z } from 'zod'
import { exampleOf } from '../../kit/http/openapi/schema-translator.ts'
import { causeCodes, whoseMoves } from '../domain/cause.ts'
import { failureCodes } from '../domain/failure.ts'
import type { EndUser as User } from '../domain/link.ts'
import { tenantIdPattern } from '../domain/tenant.ts'
import { isTestTenant, testOutcomes } from '../domain/test-mode/test-mode.ts'

export const EndUser = z
  .strictObject({
    id: z.string().meta({ description: "The tenant's ID for the user." }),
    displayName: z.string().optional(),
    email: z.string().optional(),
  })
  .meta({ id: 'EndUser', description: "The tenant's user who owns the account." })

/** Any well-formed BCP 47 tag. Without texts in that language the browser decides. */
export const Locale = z
  .string()
  .max(35)
  .refine(isLanguageTag, 'must be a language tag (BCP 47), such as de or pt-BR')
  .meta({
    description:
      "The language of the user's pages, as a BCP 47 tag. Defaults to the browser's language, also if there are no texts in this language.",
    examples: ['de'],
  })

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

/** Without the language, which belongs to the session. */
export const endUserAnswer = ({ id, displayName, email }: User): z.input<typeof EndUser> => ({
  id,
  ...(displayName !== undefined && { displayName }),
  ...(email !== undefined && { email }),
})

export const Id = z.string().min(1).max(200)

export const TenantId = z
  .string()
  .regex(tenantIdPattern, 'must be lowercase letters, digits and hyphens, at most 63; in test mode, with test_ before')

export const IntegrationId = z.string().min(1).max(32)

export const testMode = z.literal(true).optional().meta({
  description: 'Present in test mode, which uses no real account and no platform.',
})

export const testModeOf = (tenant: string): { testMode?: true } => (isTestTenant(tenant) ? { testMode: true } : {})

export const TestOutcome = z.enum(testOutcomes).meta({
  id: 'TestOutcome',
  description:
    'The behavior of the built-in provider in test mode. `approved`: access to everything. `denied`: the user declines. `partial`: the last permission is left out. `no_refresh_token`: temporary access only. `expires`: the grant works for an hour. `revoked`: the grant works for ten seconds. `slow`: the token response takes nine seconds. `other_account`: a different account signs in.',
})

export const chosenOutcome = TestOutcome.optional().meta({
  description: 'Only in test mode. If absent, the user chooses on a page.',
})

/** A lone surrogate has no encoding, so no store accepts it. */
const isWholeText = (text: string): boolean => !/\p{Cs}/u.test(text)

const halfCharacter = 'must not contain half of a character (a lone surrogate)'

export const shown = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')
    .refine(isWholeText, halfCharacter)

export const UserEmail = z.email().max(254)

export const ReturnTo = z.string().max(2_000).meta({
  description: "The URL that the browser returns to. Must be exactly one of the tenant's return URLs.",
})

export const CompletionChallenge = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the base64url SHA-256 of your verifier: 43 characters, without = at the end')
  .meta({
    description:
      "The SHA-256 of a random verifier, in base64url. Your server keeps the verifier in the user's session.",
  })

export const reason = shown(500).meta({ description: 'The reason. It is recorded in the audit log.' })

export const ReasonBody = z
  .strictObject({ reason })
  .meta({ id: 'ReasonRequest', description: 'The reason for the request.', examples: [{ reason: 'ticket 4711' }] })

/** Programs that resume or replay may omit the reason and the body. */
export const MaybeReasonBody = z.strictObject({ reason: reason.optional() }).meta({
  id: 'OptionalReasonRequest',
  description: 'The reason for the request, if known.',
  examples: [{ reason: 'ticket 4711' }],
})

const wholeNumber = 'must be an integer from 1 to 200'

export const limit = z.coerce
  .number(wholeNumber)
  .int(wholeNumber)
  .min(1, wholeNumber)
  .max(200, wholeNumber)
  .default(50)
  .meta({ description: 'The max number of items per page.' })

// An invalid cursor would sort before or after every ID and look like the last page.
export const after = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern, 'is not a cursor. Send the `nextCursor` of the previous page')
    .optional()
    .meta({ description: 'The `nextCursor` of the previous page.' })

export const connectionCursor = after(/^con_[\w-]{1,100}$/)

export const causeCode = z.enum(causeCodes).meta({ id: 'CauseCode', description: 'The `code` of a cause.' })

export const time = z.iso.datetime()

export const UpstreamAccount = z
  .strictObject({
    id: z.string(),
    label: z.string(),
    claimed: z.literal(true).optional().meta({
      description:
        'Present if the provider did not confirm this account: it comes from an import or the URL of the callback. Re-links are not pinned to it.',
    }),
  })
  .meta({
    id: 'UpstreamAccount',
    description: 'The account at the third party that granted access.',
  })

const whoseMove = z.enum(whoseMoves).meta({
  id: 'WhoseMove',
  description: 'Who has to act next. `operator` runs this deployment, `support` is its support team.',
})

export const CauseAnswer = z
  .strictObject({
    code: causeCode,
    whoseMove,
    title: z.string(),
    advice: z.string(),
    guide: z.string().meta({ description: "The page that explains this cause, relative to the deployment's URL." }),
  })
  .meta({ id: 'Cause', description: 'Why something does not work, and who has to act.' })

export const listOf = (item: z.ZodType) =>
  z
    .strictObject({
      data: z.array(item),
      nextCursor: z
        .string()
        .optional()
        .meta({ description: 'Send it as `cursor` for the next page. Absent on the last page.' }),
    })
    .meta({
      ...(item.meta()?.id && { id: `${item.meta()?.id}List` }),
      description: 'A page of the list.',
      examples: [{ data: [exampleOf(item)] }],
    })

export const listAnswer = <T, A>(
  { data, nextCursor }: { data: T[]; nextCursor?: string | undefined },
  answer: (item: T) => A,
) => ({ data: data.map(answer), ...(nextCursor !== undefined && { nextCursor }) })

export const ProblemAnswer = z
  .strictObject({
    type: z.string().meta({
      description: "The URL of the page that explains the problem, relative to the deployment's URL.",
    }),
    title: z.string(),
    status: z.int().meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'What is wrong with this request, in words for people.' }),
    instance: z.string().meta({ description: 'The ID of the request. Give it to support.' }),
    code: z.enum(failureCodes).meta({ id: 'ProblemCode', description: 'The code of the problem, for programs.' }),
    whoseMove,
    docs: z.url().meta({ description: 'The page that explains this problem.' }),
    errors: z
      .array(
        z.strictObject({
          pointer: z.string().meta({
            description: 'A JSON pointer to the field of the body. For a parameter or a header: `/` and its name.',
          }),
          parameter: z.string().optional().meta({
            description: 'The name of the invalid query or path parameter. Absent if the error is elsewhere.',
          }),
          header: z.string().optional().meta({
            description: 'The name of the invalid header. Absent if the error is elsewhere.',
          }),
          detail: z.string().meta({ description: 'What is expected, in words for people.' }),
        }),
      )
      .optional()
      .meta({ description: 'The invalid parts of the request.' }),
  })
  .meta({ id: 'Problem', description: 'Why a request was rejected (RFC 9457).' })
