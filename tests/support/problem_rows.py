"""Made-up rows in the columns that the public sets have on the hub: what tests read where no file is at hand."""

ROWS: dict[str, list[dict[str, object]]] = {
    "gsm8k": [
        {
            "question": "A baker makes 6 trays of 12 buns and sells 50. How many buns are left?",
            "answer": "He bakes 6*12=<<6*12=72>>72 buns.\nThere are 72-50=<<72-50=22>>22 left.\n#### 22",
        },
        {
            "question": "A hall has 25 rows of 50 seats. How many seats?",
            "answer": "So <<25*50=1250>>1250\n#### 1,250",
        },
        {"question": "It is 3 degrees and falls by 10. How many degrees?", "answer": "3-10=<<3-10=-7>>-7\n#### -7"},
    ],
    "math500": [
        {
            "problem": "What is half of $7$? Give a fraction.",
            "solution": "Dividing, we get $7 \\div 2 = \\boxed{\\frac{7}{2}}$.",
            "answer": "\\frac{7}{2}",
            "subject": "Prealgebra",
            "level": 1,
            "unique_id": "test/prealgebra/90001.json",
        },
        {
            "problem": "Which point lies $2$ to the right of the origin and $5$ above it?",
            "solution": "It is $\\boxed{\\left( 2, 5 \\right)}$.",
            "answer": "\\left( 2, 5 \\right)",
            "subject": "Algebra",
            "level": 3,
            "unique_id": "test/algebra/90002.json",
        },
    ],
    "math": [
        {
            "problem": "How many two-element subsets has a set of $4$ elements?",
            "level": "Level 2",
            "type": "Counting & Probability",
            "solution": "There are $\\binom{4}{2} = \\boxed{\\frac{4 \\cdot 3}{2}} = \\boxed{6}$ of them.",
        },
        {
            "problem": "Simplify $\\sqrt{\\frac{9}{4}}$.",
            "level": "Level ?",
            "type": "Algebra",
            "solution": "The root of each gives $\\boxed{\\frac{3}{2^{1}}}$.",
        },
        {
            "problem": "What is $7 - 3$?",
            "level": "Level 5",
            "type": "Prealgebra",
            "solution": "Counting back from $7$ gives $\\boxed 4$.",
        },
    ],
    "aime24": [
        {
            "id": 60001,
            "problem": "How many positive integers are smaller than $34$?",
            "solution": "They are $1, \\dots, 33$, so there are $\\boxed{033}$.",
            "answer": "033",
            "url": "https://example.org/24",
            "year": "2024",
        },
    ],
    "aime25": [
        {"problem": "What is the remainder of $1999$ by $1000$?", "answer": "999", "id": "7"},
        {"problem": "What is the largest integer below $1/2$?", "answer": "0", "id": "8"},
    ],
    "amc23": [
        {"id": 0, "question": "A train goes 54 miles in 2 hours. How many miles an hour?", "answer": "27.0", "url": ""},
        {"id": 1, "question": "What is 5/2 as a decimal?", "answer": 2.5, "url": "https://example.org/amc"},
    ],
    "svamp": [
        {
            "ID": "chal-9001",
            "Body": "Tom has 3 bags of 4 plums",
            "Question": "How many plums has he?",
            "Equation": "( 3.0 * 4.0 )",
            "Answer": 12.0,
            "Type": "Multiplication",
        },
        {
            "ID": "chal-9002",
            "Body": "Ann had 9 pens. She lost 4.",
            "Question": "How many are left?",
            "Equation": "( 9.0 - 4.0 )",
            "Answer": "5",
            "Type": "Subtraction",
        },
    ],
}

WORKED: list[dict[str, object]] = [
    {
        "question": "A baker makes 6 trays of 12 buns and sells 50. How many buns are left?",
        "answer": "He bakes 6*12=<<6*12=72>>72 buns.\nThere are 72-50=<<72-50=22>>22 left.\n#### 22",
    },
    {
        "question": "A hall has 25 rows of 50 seats, and 30 seats are broken. How many can be used?",
        "answer": "There are 25*50=<<25*50=1250>>1250 seats.\nSo 1250-30=<<1250-30=1220>>1220 can be used.\n#### 1,220",
    },
    {
        "question": "Ann has 14 stamps. Bob has 3 times as many. How many do they have together?",
        "answer": "Bob has 3*14=<<3*14=42>>42 stamps.\nTogether they have 14+42=<<14+42=56>>56.\n#### 56",
    },
]
"""Rows of GSM8K whose working shows its equations, for what looks at steps."""
