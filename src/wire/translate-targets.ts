import type { DialectName, Media } from '../transcript/message.ts';

/** What a dialect asks of a list, as far as translating into it has to see to it. */
export interface Target {
  /** Which neighbours become one message: none, those of one kind, or all of one wire role. */
  readonly joins: 'none' | 'kind' | 'role';
  /** Whether a system message may stand in the list; else the leading ones stand apart. */
  readonly systemInList: boolean;
  /** Whether the first message has to be a user turn. */
  readonly startsWithUser: boolean;
  /** Whether results are in the order of their calls, because nothing else pairs them. */
  readonly ordersResults: boolean;
  /** Blank text in a tool result: taken, left out, or left out and the result then not empty. */
  readonly blankResults: 'taken' | 'dropped' | 'refused';
  /** Whether a result that is an error may hold text only. */
  readonly errorsAreText: boolean;
  /** Whether media stand in the result; else a user turn behind the results has them. */
  readonly resultsHoldMedia: boolean;
  /** Whether a document needs a text beside it. */
  readonly documentNeedsText: boolean;
  /** Longest side of an image in pixels where a list has more than twenty. */
  readonly manyImagesSide?: number;
  /** Characters that a tool name may not have. */
  readonly badNameCharacters: RegExp;
  carries(media: Media): boolean;
}

// Sources: the API references, and `shape-rules.md` for what is refused.
export const targets: { readonly [Name in DialectName]: Target } = {
  anthropic: {
    joins: 'none',
    systemInList: false,
    startsWithUser: true,
    ordersResults: false,
    blankResults: 'dropped',
    errorsAreText: true,
    resultsHoldMedia: true,
    documentNeedsText: false,
    manyImagesSide: 2000,
    badNameCharacters: /[^a-zA-Z0-9_-]/g,
    carries: (media) =>
      hasText(media) ||
      (isUrl(media) && (media.type === 'image' || media.type === 'document')) ||
      isImage(media) ||
      isPdf(media),
  },
  'openai-chat': {
    joins: 'none',
    systemInList: true,
    startsWithUser: false,
    ordersResults: false,
    blankResults: 'taken',
    errorsAreText: false,
    resultsHoldMedia: false,
    documentNeedsText: false,
    badNameCharacters: /[^a-zA-Z0-9_-]/g,
    carries: (media) =>
      hasText(media) || (isUrl(media) && media.type === 'image') || isImage(media) || isPdf(media),
  },
  'openai-responses': {
    joins: 'none',
    systemInList: true,
    startsWithUser: false,
    ordersResults: false,
    blankResults: 'taken',
    errorsAreText: false,
    resultsHoldMedia: true,
    documentNeedsText: false,
    badNameCharacters: /[^a-zA-Z0-9_-]/g,
    carries: (media) =>
      hasText(media) ||
      (isUrl(media) && (media.type === 'image' || media.type === 'document')) ||
      isImage(media) ||
      isPdf(media),
  },
  gemini: {
    joins: 'kind',
    systemInList: false,
    startsWithUser: true,
    ordersResults: true,
    blankResults: 'taken',
    errorsAreText: false,
    resultsHoldMedia: false,
    documentNeedsText: false,
    badNameCharacters: /[^a-zA-Z0-9_.:-]/g,
    carries: (media) => hasText(media) || media.data !== undefined,
  },
  bedrock: {
    joins: 'role',
    systemInList: false,
    startsWithUser: true,
    ordersResults: false,
    blankResults: 'refused',
    errorsAreText: false,
    resultsHoldMedia: true,
    documentNeedsText: true,
    badNameCharacters: /[^a-zA-Z0-9_-]/g,
    carries: (media) => hasText(media) || isImage(media) || isPdf(media),
  },
};

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** A document whose text the model reads. */
function hasText(media: Media): boolean {
  return media.text !== undefined && media.text.trim() !== '';
}

/** An image with its data, in a format that all providers read. */
function isImage(media: Media): boolean {
  if (media.type !== 'image' || media.data === undefined) return false;
  return media.mimeType === undefined || IMAGE_TYPES.has(media.mimeType);
}

function isPdf(media: Media): boolean {
  return media.data !== undefined && media.mimeType === 'application/pdf';
}

/** A file id or a bucket's address means something to one provider only. */
function isUrl(media: Media): boolean {
  return media.reference !== undefined && /^https?:\/\//.test(media.reference);
}
