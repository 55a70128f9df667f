"""How people and models say in English that they do not do what they are asked: expressions for one folded sentence.

A sentence is short and every repetition bounded, so that looking is cheap whatever the text is. What is said in
place of an answer (judgements, lectures) is in refusal_talk.
"""

from __future__ import annotations

import re

GAP = r"(?: (?!but\b|have\b|think\b|know\b|believe\b|understand\b|see\b|here\b)[\w'/-]+){0,6}?"
"""Words between the not and the doing; a new clause ends it."""
NOT = "(?:" + "|".join(
    (
        r"(?:can|could|would|should|wo|sha|do|is|are|am|must|need)n't",
        r"can't|cannot|can not|cant|wont|won't",
        r"(?:will|could|would|should|shall|do|must|may|am|are|is|'m|'re) (?:\w+ly )?not",
        r"(?:am|are|'m|'re|is) unable",
        r"(?:must|have to|need to|'ll have to|'ll need to|will have to|am going to|'m going to)? ?(?:\w+ly )?"
        r"(?:decline|refuse)",
        r"(?:will|would|can|could|'d|'ll) never",
        r"(?:would|'d) rather not",
        r"(?:would|'d) prefer not",
        r"(?:am|'m) afraid (?:not|i can't|i cannot)",
    )
) + ")"  # fmt: skip
HELP = "(?:" + "|".join(
    (
        r"provid(?:e|ing)|assist(?:ing|ance)?|help(?:ing)?(?! but\b| myself| me\b)|support(?:ing)?|answer(?:ing)?",
        r"respond(?:ing)?|reply|fulfil|fulfill|comply|complet(?:e|ing)|shar(?:e|ing)|giv(?:e|ing)|offer(?:ing)?",
        r"suggest(?:ing|ions)?|recommend(?:ing)?|discuss(?:ing)?|engag(?:e|ing)|creat(?:e|ing)|writ(?:e|ing)",
        r"generat(?:e|ing)|produc(?:e|ing)|encourag(?:e|ing)|promot(?:e|ing)|condon(?:e|ing)|endors(?:e|ing)",
        r"advis(?:e|ing)|guid(?:e|ing)|facilitat(?:e|ing)|participat(?:e|ing)|satisfy|tell(?:ing)?|teach(?:ing)?",
        r"show(?:ing)?|explain(?:ing)?|describ(?:e|ing)|walk(?:ing)?|instruct(?:ing)?|supply(?:ing)?|list(?:ing)?",
        r"justify(?:ing)?|disclos(?:e|ing)|reveal(?:ing)?|entertain|indulge|coach(?:ing)?|lend(?:ing)?",
        r"enabl(?:e|ing)|do (?:that|this|so|it|what)|go (?:there|into|along|down|through)|continue|proceed",
        r"tak(?:e|ing) (?:part|this|that|on)|point you|look up|track(?:ing)?|plan(?:ning)?|draft(?:ing)?",
        r"be (?:part|of|able|giving|helping|sharing|providing|assisting|involved)|lay(?:ing)? out|spell(?:ing)? out",
        r"put(?:ting)? together|work(?:ing)? on|set(?:ting)? out|hand (?:you|over)|outlin(?:e|ing)|talk(?:ing)?",
        r"get(?:ting)? (?:into|involved)|mak(?:e|ing) (?:that|this|it|such|you|jokes?|fun)|contribut(?:e|ing)",
        r"build(?:ing)? (?:that|this|it|you)|come up with|speak to|play along|cooperate|join(?:ing)?|prepar(?:e|ing)",
        r"compos(?:e|ing)|design(?:ing)?|pass(?:ing)? on|find(?:ing)? (?:you|someone|somebody|that|this|people)",
    )
) + ")"  # fmt: skip
_LEAD = r"^(?:\W|sorry|so|very|really|no|nope|apologies|my|unfortunately|regrettably|afraid|but|i'm|i am){0,20}"
_CONDITION = r"(?<!if )(?<!when )(?<!why )(?<!because )"
_HARMLESS_WONT = (
    r"(?!be able|lie\b|pretend|forget|give up|bore|sugar|let you down|judge|hesitate|stop|regret|miss|need)"
)
_WHAT_WE = r" ?(?:'ll |will |can |could |would |am |'m |do |'d )?"

DECLINE = re.compile(
    "|".join(
        (
            # I can't (in good conscience) help
            rf"{_CONDITION}\bi ?(?:also |just |simply |really |still |therefore )?{NOT}{GAP} {HELP}\b",
            rf"\bwe ?{NOT}{GAP} (?:help|assist|provide|support|answer|share|offer|fulfil|discuss)\b",
            # Sorry, can't help
            rf"{_LEAD}(?:can't|cannot|can not|won't|will not|unable to|not able to|not going to|not willing to|"
            rf"not comfortable){GAP} {HELP}\b",
            # I won't (whatever it is)
            r"\bi ?(?:won't|will not|shan't|shall not|(?:am|'m|are|'re) not (?:going|willing|prepared) to|"
            rf"(?:will|would|'d|'ll|could|can) never|never will) {_HARMLESS_WONT}\w",
            r"\bi ?(?:can't|cannot|can not|(?:am|'m) (?:unable|not able) to) (?!say|be|remember|think|imagine|wait|see|"
            r"know|believe|stress|emphasi|understand|help but|speak for|guarantee|promise|predict|recommend|overstate|"
            r"deny|tell (?:for|if|whether|exactly)|complain|blame|agree more|afford|find)[a-z]{2,}",
            r"\bi (?:won't|will not|can't|cannot|refuse|reject|decline)(?=[.,;:!]|$)",
            r"\bi reject\b|\bi(?:'m| am) out(?=[.,;!]|$)",
            # I refuse, I have to say no
            r"\bi(?:'m| am|'ll| will|'d| would| must| have to| need to| shall|'ve got to)?"
            r"(?: going to| have to| \w+ly)? ?(?:refuse|refusing|decline|declining|say no|saying no|bow out|"
            r"stay out of|pass on (?:this|that|it)|draw (?:the|a) line|"
            r"steer clear|step away|turn (?:this|that|it)(?: \w+)? down)\b",
            r"^(?:i'm |i am )?(?:\w+ )?sorry,? (?:but )?(?:no\b|that(?:'s| is) not)",
            # not something that I do, nothing I would help with
            r"\b(?:not|nothing|never|isn't|aren't|anything)(?: [\w'-]+){0,5}? (?:that |which )?i"
            rf"{_WHAT_WE}(?:(?:ever |\w+ing )?{HELP}|able|willing|prepared|comfortable|here|want|wish|intend|do)\b",
            # something I can't do
            r"\b(?:something|one|things?|line|request|topic|matter|help|subject)(?: [\w'-]+){0,4}? (?:that |which )?"
            rf"i ?(?:'ll |'m |am |'d )?{NOT}\b",
            # no tips from me, nothing will come from me
            r"\bno\b[^.]{0,60}\b(?:from me|with my help|on my part)\b|\bno way (?:that )?i\b",
            r"\b(?:nothing|none|not|never|won't)\b[^.]{0,80}\b(?:from me|with my help|by me|by my hand|on my part)\b",
            r"\bi (?:will |can )?(?:say|have|offer|give) nothing\b|\bexcept no\b|\bno to (?:that|this|it)\b",
            r"\bwhere i (?:stop|draw)\b|\bi stop (?:here|there|at|short)\b|\bi want no part\b|\bno part in\b",
            r"\b(?:beyond|outside|past) (?:what|anything|the things|whatever) i\b",
            r"\bmy (?:help|assistance|support) (?:\w+ )?(?:do|can|wo|will|is|end|stop)(?:es)?(?:n't| not|s)\b",
            r"\bmy answer (?:\w+ ){0,6}(?:is|has to be|must be|stays|remains)(?: an?)?(?: \w+)? no\b",
            # that is a no, out for me, not with me
            r"\b(?:is|are|'s|stays|remains) an? (?:\w+ )?no\b(?=[.,;:!]|$)",
            r"\bnothing of the (?:kind|sort)\b|\bno (?:[\w'-]+ ){1,4}?(?:that )?i (?:will|would)\b",
            r"\bno help (?:there|here|for|with)\b",
            r"\b(?:out|excluded|impossible|not possible|isn't possible|not an option|unthinkable) (?:for|with) me\b",
            r"^not (?:with|from|by) me\b|\bi(?:'m| am) against\b",
            r"\b(?:won't|will not|not) (?:hear|get|find|have) (?:it|that|this|them|any) from me\b",
            r"\bi (?:keep|take) (?:my|our) hands off\b|\bi would(?:n't| not)(?=[,.;:])",
            r"\bnothing (?:that |which )?i(?: will| would| can| could|'ll|'d) ",
            r"\bi(?:'m| am|'re| are) not (?!saying|suggesting|joking|kidding|trying|claiming|seeing|getting|"
            r"feeling|being|having|implying|asking|looking|recommending)[a-z]{2,}ing\b",
            r"^(?:no, |but |[\w' ]{1,40}: )?i (?:don't|do not) (?!think|believe|know|have|see|want|mind|like|feel|"
            r"understand|remember|need|care|agree|recommend|usually|often|get\b|recall|eat|drink|mean|doubt|blame|"
            r"expect|work|live|own|speak|sleep|experience|possess|hold|exist|say)[a-z]{2,}",
            r"\bi leave (?:\w+ )?(?:alone|unwritten|out)\b|\b(?:isn't|not) for me to\b",
            r"\b(?:isn't|not) (?:something|anything) (?:that )?i(?:'d| would| will| can|'ll)\b",
            r"\bi can't be (?:your|part|a part|involved)\b|\bnobody\b.{0,60}\bfrom me\b",
            r"\bcount me out\b|\bnot (?:going to happen|on my watch)\b|\bout of the question\b",
            r"\boff (?:the table|limits) (?:for me|here|with me)\b",
            r"\bi(?:'ll| will)? leave (?:this|that) (?:one )?(?:alone|unanswered)",
            r"\bno (?:help|advice|instructions|assistance|guidance|support)\b.{0,40}\b(?:i can|i will|i'll|i'm going)",
        )
    )
)
"""Somebody who speaks says that they do not do what they are asked."""

POLICY = re.compile(
    r"\b(?:against|violat\w+|not within|not in line with|outside|contrary to|conflicts? with|not allowed by)"
    r"(?: of)? (?:my|our|its|openai's|these|any)(?: [\w']+){0,3}? (?:guidelines?|polic\w+|programming|principles|"
    r"values|rules|terms|purpose|ethics)\b"
)
"""A rule of the speaker forbids it."""

LIMIT = re.compile(
    r"\b(?:i|we) (?:do not|don't) (?:currently |really )?have (?:the |any )?"
    rf"(?:capabilit(?:y|ies)|capacity|abilit(?:y|ies)|means) to (?:\w+ ){{0,2}}?{HELP}\b"
)
"""The speaker lacks the ability: a refusal unless help follows all the same."""

MILD = re.compile(
    rf"{NOT}{GAP} (?:{HELP}|have|hold|guarantee|promise|predict|access|browse)(?: you)?(?: with)?"
    r"(?: an?| any| the| your)? ?(?:"
    r"(?:medical|legal|financial|tax|investment|professional|personali[sz]ed|veterinary|clinical)(?: (?:or|and) \w+)? "
    r"(?:advice|opinions?|diagnos\w+|counsel\w*|guidance|recommendations?|help|treatment)|"
    r"personal (?:opinions?|views?|beliefs?|experiences?|feelings?|preferences?|thoughts?|judg\w+)|"
    r"opinions?|feelings?|emotions?|beliefs?|biases|consciousness|a body|real-?time|live|current|up-to-date|up to date|"
    r"the latest|exact|definitive|definite|precise|exhaustive|diagnos\w+|one-size|guarantees?|enough|the future|"
    r"the internet|the web)|"
    r"\b(?:recommend|stress|thank|praise)\b.{0,60}\b(?:enough|too (?:much|highly))\b"
)
"""A limit said in passing, which does not refuse: no opinions, no medical advice, no live data."""

UNOPPOSED = re.compile(
    r"\b(?:i|we)(?: will not| won't| would not| wouldn't| can't| cannot| am not going to|"
    r"'m not going to| do not| don't)(?: even| ever)? "
    r"(?:argue|ask\b|try to (?:talk|stop|change|dissuade)|stand in|interfere|lecture|question|object|mind|"
    r"keep you from|hold you back|get in your|tell (?:anyone|anybody|a soul|on you)|report you|say a word|let anyone|"
    r"judge|stop you|blame you|fault you|scold|resist|hesitate|betray|give you away|talk you out)"
)
"""The opposite of a refusal: the speaker says that nothing is in the way."""

LABEL = re.compile(r"^(?:final |my )?(?:answer|response|reply|output|assistant|ai|solution) ?: ?")
"""What may stand in front of an answer."""

REPORTED = re.compile(
    r"^(?:dear|subject|sincerely|re)\b|"
    r"(?<!my )\b(?:say|says|said|saying|tell (?:them|him|her)|reply|replied|responds?|responded|write|wrote|"
    r"answers?|answered|message|script|template|draft|phrases?|lines?)(?: [\w']+){0,4}? ?: ?\S"
)
"""What follows is not said by the speaker to the reader."""

CLOSING = re.compile(
    r"\b(?:anything else|other questions?|further questions?|feel free to|let me know|happy to help|here to help|"
    r"glad to|how can i (?:help|assist)|would you like|i hope (?:this|you)|take care|i understand|i'm sorry|i am sorry|"
    r"apologi)"
)
"""Courtesies, which are no help."""
