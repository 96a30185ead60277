/** Where an answer began: at its prompt, or in an earlier answer of this mark. */
export const startKinds = ['prompt', 'right', 'wrong', 'unmarked'] as const;
export type StartKind = (typeof startKinds)[number];
/** How an answer ended, by the verifier. */
export const endMarks = ['right', 'wrong', 'unmarked'] as const;
export type EndMark = (typeof endMarks)[number];
