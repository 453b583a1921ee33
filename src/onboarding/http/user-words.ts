// Causes in the words of our pages, for pages of tenants.
import { z } from 'zod'
import type { Cause } from '../domain/cause.ts'
import type { Languages } from './languages.ts'
import { causeForUser, type Names } from './locals/cause-words.ts'
import { Locale } from './schemas.ts'

export const UserWordsAnswer = z
  .strictObject({
    locale: z.string().meta({ description: 'The language that they are in, as a BCP 47 tag.' }),
    title: z.string().meta({ description: 'What happened, in a few words.' }),
    advice: z.string().meta({ description: 'What the user can do, or that it is not up to them.' }),
  })
  .meta({ id: 'UserWords', description: 'Words of the pages that end users see, for a page of your own.' })

export const wordsLocale = Locale.optional().meta({
  description:
    'The language of `causeForUser`, as a BCP 47 tag: that of your user. Without it, or without texts in it, English.',
  examples: ['de'],
})

type AppOfTenant = { tenant: string; integration: string }

export type UserWordsNeeds = {
  readNames(of: AppOfTenant): Promise<Names>
  languages: Pick<Languages, 'forLocale'>
}

/** Reads the names of a tenant and an app once for a whole list. */
export function namesOnce(readNames: (of: AppOfTenant) => Promise<Names>): UserWordsNeeds['readNames'] {
  const known = new Map<string, Promise<Names>>()
  return ({ tenant, integration }) => {
    const key = JSON.stringify([tenant, integration])
    const names = known.get(key) ?? readNames({ tenant, integration })
    known.set(key, names)
    return names
  }
}

/** Empty if there is no cause. */
export async function wordsForUser(
  { readNames, languages }: UserWordsNeeds,
  of: AppOfTenant & { cause?: Cause | undefined },
  locale: string | undefined,
): Promise<{ causeForUser?: z.input<typeof UserWordsAnswer> }> {
  if (!of.cause) return {}
  const translator = languages.forLocale(locale)
  const { title, userAdvice: advice } = causeForUser(of.cause, await readNames(of), translator)
  return { causeForUser: { locale: translator.lang, title, advice } }
}
