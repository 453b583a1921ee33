// Causes in the words of the pages that end users see, for a page of the tenant's own.
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

/** In a request: which language they are wanted in. */
export const wordsLocale = Locale.optional().meta({
  description:
    'The language of `causeForUser`, as a BCP 47 tag: that of your user. Without it, or without texts in it, English.',
  examples: ['de'],
})

export type UserWordsNeeds = {
  flows: { readNames(of: { tenant: string; integration: string }): Promise<Names> }
  languages: Pick<Languages, 'forLocale'>
}

/** For a list, in which most have the same tenant and app. */
export function withNamesOnce({ flows, languages }: UserWordsNeeds): UserWordsNeeds {
  const known = new Map<string, Promise<Names>>()
  const readNames: UserWordsNeeds['flows']['readNames'] = ({ tenant, integration }) => {
    const key = JSON.stringify([tenant, integration])
    const names = known.get(key) ?? flows.readNames({ tenant, integration })
    known.set(key, names)
    return names
  }
  return { flows: { readNames }, languages }
}

/** Nothing, of what has no cause. */
export async function wordsForUser(
  { flows, languages }: UserWordsNeeds,
  of: { tenant: string; integration: string; cause: Cause | undefined },
  locale: string | undefined,
): Promise<{ causeForUser?: z.input<typeof UserWordsAnswer> }> {
  if (!of.cause) return {}
  const translator = languages.forLocale(locale)
  const { title, userAdvice: advice } = causeForUser(of.cause, await flows.readNames(of), translator)
  return { causeForUser: { locale: translator.lang, title, advice } }
}
