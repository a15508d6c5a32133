import type { AddedViolations } from '../compaction/pipeline.ts';
import { contextOfBody, type ShapeContext } from '../shape/context.ts';
import { addedViolations, type Violation, validate } from '../shape/validate.ts';
import type { DialectName, Message } from '../transcript/message.ts';
import type { Envelope, Request, Transcript } from '../transcript/transcript.ts';
import { dialectOf } from '../wire/catalog.ts';

/** What the oracle says of one request as it is about to be sent. */
export interface ShapeCheck {
  /** Errors of the list as it was recorded. */
  readonly recorded: readonly Violation[];
  /** Rules of errors that a rewrite has and the list before it had not, one entry an error. */
  readonly added: AddedViolations;
}

/**
 * Judges the requests of one transcript by their provider's rules. Only errors count: a warning is a rule
 * on which public evidence conflicts, and such a list can be sent.
 *
 * @param model of the request, where it is known
 */
export function shapeCheck(
  transcript: Transcript,
  request: Request,
  model: string | undefined,
): ShapeCheck {
  const { dialect } = transcript;
  const surroundings = contextOf(dialect, request.envelope);
  const context = model === undefined ? surroundings : { ...surroundings, model };
  const errors = (messages: readonly Message[], before?: readonly Message[]): Violation[] => {
    const list = { dialect, messages, context, ...(before === undefined ? {} : { before }) };
    return validate(list).filter(({ severity }) => severity === 'error');
  };
  const known = recordedErrors.get(request);
  const recorded =
    known !== undefined && known.model === model ? known.errors : errors(request.messages);
  recordedErrors.set(request, { model, errors: recorded });
  // The last step's rewrite is what is sent, and is asked about again.
  let last:
    | { before: readonly Message[]; after: readonly Message[]; added: readonly string[] }
    | undefined;
  return {
    recorded,
    added: (before, after) => {
      if (before === after) return [];
      if (last?.before === before && last.after === after) return last.added;
      const had = before === request.messages ? recorded : errors(before);
      const added = addedViolations(had, errors(after, before)).map(({ rule }) => rule);
      last = { before, after, added };
      return added;
    },
  };
}

/** Errors of recorded requests: the configs of one transcript share them. */
const recordedErrors = new WeakMap<
  Request,
  { readonly model: string | undefined; readonly errors: readonly Violation[] }
>();

/** The request's fields around its list, read once an envelope. */
const contexts = new WeakMap<Envelope, ShapeContext>();

function contextOf(dialect: DialectName, envelope: Envelope | undefined): ShapeContext {
  if (envelope === undefined) return {};
  const known = contexts.get(envelope);
  if (known !== undefined) return known;
  const body: unknown = JSON.parse(dialectOf(dialect).encode([], envelope));
  const context = contextOfBody(dialect, body);
  contexts.set(envelope, context);
  return context;
}
