import { describeContract } from './describe-contract.ts';

describeContract('openai-responses');
